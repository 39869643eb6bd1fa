// Names for UniMorph tags, so that nobody needs to know them; other tags are shown unchanged.
const VALUES = {
  N: "noun", V: "verb", ADJ: "adjective", ADV: "adverb", PROPN: "proper noun", PRO: "pronoun",
  "V.PTCP": "participle", "V.CVB": "converb", "V.MSDR": "verbal noun", NUM: "numeral",
  NOM: "nominative", GEN: "genitive", DAT: "dative", ACC: "accusative", ABL: "ablative",
  LOC: "locative", INS: "instrumental", VOC: "vocative", ESS: "essive", PRT: "partitive",
  COM: "comitative", TRANS: "translative", FRML: "essive, formal", TERM: "terminative",
  ERG: "ergative", PRIV: "privative", ALL: "allative", PRP: "purposive", BYWAY: "by way of",
  "IN+ESS": "inessive", "IN+ABL": "elative", "IN+ALL": "illative", "IN+LAT": "illative",
  "AT+ESS": "adessive", "AT+ABL": "ablative", "AT+ALL": "allative",
  // Finnish, Hungarian and Turkish have different names for these.
  "ON+ESS": "on, at", "ON+ABL": "from on, at", "ON+ALL": "onto, to",
  SG: "singular", PL: "plural", DU: "dual", MASC: "masculine",
  FEM: "feminine", NEUT: "neuter", ANIM: "animate", INAN: "inanimate",
  1: "first", 2: "second", 3: "third", 0: "impersonal", 4: "fourth",
  PRS: "present", PST: "past", FUT: "future", IPFV: "imperfective", PFV: "perfective",
  PRF: "perfect", PROG: "progressive", HAB: "habitual", ITER: "iterative", IND: "indicative",
  SBJV: "subjunctive", COND: "conditional", IMP: "imperative", OPT: "optative",
  POT: "potential", REAL: "realis", OBLIG: "obligative", ACT: "active", PASS: "passive",
  POS: "positive", NEG: "negative", CMPR: "comparative", SPRL: "superlative",
  AB: "absolute", RL: "relative", DEF: "definite", INDF: "indefinite", FIN: "finite",
  NFIN: "non-finite", INF: "infinitive", PSSD: "possessed", PSS1S: "my", PSS2S: "your (one)",
  PSS3S: "his, her, its", PSS1P: "our", PSS2P: "your (many)", PSS3P: "their",
  INFM: "informal", FORM: "formal address", TR: "transitive", INTR: "intransitive",
  CAUS: "causative", REFL: "reflexive",
};
const SLOTS = {
  pos: "part of speech", gen: "gender", num: "number", per: "person", def: "definiteness",
  poss: "possession", polar: "polarity", val: "valency", comp: "comparison", arg: "arguments",
  evid: "evidentiality", fin: "finiteness", anim: "animacy", alt: "variant",
};

// "{NOM/ACC}" -> "nominative or accusative"
export function valueName(value) {
  if (value === "") return "–";
  const parts = value.replace(/^\{|\}$/g, "").split("/");
  return parts.map((part) => VALUES[part] ?? part).join(" or ");
}

export const slotName = (slot) => SLOTS[slot] ?? slot;

export const posName = (pos) => VALUES[pos] ?? pos;
