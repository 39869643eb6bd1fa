// Requests to the service. Only the response to the latest one counts.

let asked = new AbortController();

export function newQuestion() {
  asked.abort();
  asked = new AbortController();
  return asked.signal;
}

export async function ask(path, signal, body) {
  const options = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await fetch(path, { ...options, signal });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
  return answer;
}

