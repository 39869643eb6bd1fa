"""The page in a real browser: headless Chromium, driven by Selenium."""

from __future__ import annotations

import json
import re
import shutil
import struct
import time
import unicodedata
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, quote, urlencode, urlsplit
from urllib.request import urlopen
from xml.etree import ElementTree

import pytest

pytest.importorskip("msgspec")
pytest.importorskip("selenium")

from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait
from tests.serving import Service, nonsense, running, save

from stepwrite import Inflector, load

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="no browser: install chromium and chromium-driver"
)
ARABIC, GEORGIAN = "كتاب", "სახლი"
DESKTOP, PHONE = (1200, 900), (375, 700)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    models = {
        "latin": nonsense(),
        "soft": nonsense(kind="soft"),
        "old": nonsense(cells=False),
    }
    arguments = save(tmp_path_factory.mktemp("models"), **models)
    shipped = ("arabic", "english", "finnish", "georgian", "german", "russian", "spanish")
    with running(*arguments, *shipped, "german-nouns") as service:  # which steps and writes
        yield service


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield browser
    browser.quit()


class Page:
    """What a user sees and does."""

    def __init__(self, browser: Any, url: str) -> None:
        self.browser, self.url = browser, url

    def open(self, size: tuple[int, int] = DESKTOP, **query: str) -> None:
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        pairs = "&".join(f"{name}={quote(value)}" for name, value in query.items())
        self.browser.get(f"{self.url}/?{pairs}")

    def find(self, id: str) -> Any:
        return self.browser.find_element("id", id)

    def wait(self, condition: Callable[[], Any]) -> Any:
        """Wait until it holds; parts of the page may be redrawn meanwhile."""
        changing = (NoSuchElementException, StaleElementReferenceException)
        return WebDriverWait(self.browser, 20, 0.05, changing).until(lambda _: condition())

    def shows(self, form: str) -> None:
        self.wait(lambda: self.find("form").text == (form or "(nothing)"))

    def choose(self, menu: str, value: str) -> None:
        self.wait(lambda: self.find(menu))
        self.browser.execute_script("document.getElementById('word').open = true")
        self.wait(lambda: Select(self.find(menu)).select_by_value(value) or True)

    def all(self, selector: str) -> list[Any]:
        return list(self.browser.find_elements("css selector", selector))

    def forms(self) -> list[str]:
        """All forms of the tables, also of those that are collapsed."""
        buttons = "[...document.querySelectorAll('#readings button.form bdi')]"
        return list(
            self.browser.execute_script(f"return {buttons}.map((form) => form.textContent)")
        )

    def click(self, features: str) -> None:
        self.wait(lambda: self.all(f"[data-features='{features}']")[0].click() or True)

    def tiles(self) -> list[Any]:
        return list(self.browser.find_elements("css selector", "#tiles .tile"))

    def attended(self) -> int:
        """The index of the attended tile, read in one call, as it may be moving."""
        items = "[...document.querySelectorAll('#tiles li')]"
        found = f"return {items}.findIndex((item) => item.ariaCurrent === 'step')"
        return int(self.browser.execute_script(found))


@pytest.fixture
def page(browser: Any, service: Service) -> Iterator[Page]:
    """A page; afterwards: no messages in the console, and no requests to other hosts."""
    yield Page(browser, service.url)
    assert not [entry for entry in browser.get_log("browser") if entry["level"] != "INFO"]
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
    assert [url for url in asked if not url.startswith(f"{service.url}/")] == []


def form_of(features: str, lemma: str = "haus", **options: Any) -> str:
    return Inflector(nonsense(**options))(lemma, features, n_best=3).form


EVERYDAY = [
    ("english", "go", ("went", "gone", "goes", "going")),
    ("german", "gut", ("besser", "am besten", "guter", "gutes")),
    ("spanish", "ser", ("soy", "es", "somos", "fue", "era", "siendo")),
    ("russian", "дом", ("дома", "домов", "домами", "доме")),
    ("finnish", "nainen", ("naisen", "naista", "naisia", "naisten")),
    ("arabic", ARABIC, ("كتاب", "الكتاب")),
]


@pytest.mark.parametrize(("model", "lemma", "forms"), EVERYDAY)
def test_everyday_words(page: Page, model: str, lemma: str, forms: tuple[str, ...]) -> None:
    page.open(model=model)
    page.wait(lambda: Select(page.find("model")).options)
    page.find("lemma").send_keys(lemma)
    page.wait(lambda: page.forms())
    shown = page.forms() if model != "arabic" else [unvocalised(form) for form in page.forms()]
    assert set(forms) <= set(shown)
    assert "LGSPEC" not in page.find("words").text


def unvocalised(text: str) -> str:
    return "".join(symbol for symbol in text if not unicodedata.combining(symbol))


def test_noun_and_verb_are_both_shown_in_tables_with_the_names_of_grammars(page: Page) -> None:
    page.open(model="english", lemma="go")
    page.wait(lambda: page.forms())
    texts = [kind.text for kind in page.all("#readings .kind")]
    assert texts == ["Verb", "Noun"]
    page.open(model="english", lemma="be")
    page.wait(lambda: "were" in page.forms())
    table = page.all("#readings table")[1]
    columns = [th.text.split("\n")[0] for th in table.find_elements("css selector", "thead th")]
    assert columns == ["1st singular", "2nd singular", "3rd singular", "plural"]
    rows = [th.text for th in table.find_elements("css selector", "tbody th")]
    assert rows == ["present", "past"]
    page.open(model="german", lemma="gehen")
    page.wait(lambda: page.forms())
    assert "Präteritum" in page.find("words").text


def test_large_paradigms_are_collapsed(page: Page) -> None:
    page.open(model="german", lemma="gut")
    page.wait(lambda: page.forms())
    groups = page.all("#readings details.group")
    is_open = [group.get_attribute("open") is not None for group in groups]
    assert is_open[0]
    assert not is_open[-1]
    page.open(model="german", lemma="gut", features="ADJ;SPRL;FEM;DEF;DAT;SG")
    page.shows("besten")
    assert page.all("[aria-pressed=true]")[0].is_displayed()


def test_known_forms_guesses_and_doubts_look_different(page: Page) -> None:
    page.open(PHONE, model="english", lemma="blorf")
    page.wait(lambda: page.forms())
    assert "guesses" in page.find("words").text
    assert page.find("legend").is_displayed()
    assert not page.all("button.form.known")
    guess = page.all("button.form.guess")[0]
    assert "sure" in guess.accessible_name
    page.open(PHONE, model="english", lemma="go")
    page.wait(lambda: page.all("button.form.known"))
    assert not page.all("button.form.guess")
    assert not page.find("legend").is_displayed()


def test_type_click_share(page: Page) -> None:
    page.open(PHONE)
    page.wait(lambda: Select(page.find("model")).options)
    Select(page.find("model")).select_by_value("latin")
    page.find("lemma").send_keys("haus")
    page.choose("menu-part-of-speech", "N")
    features = "N;MASC;DAT;PL"
    page.click(features)
    page.shows(form_of(features))
    expected = Inflector(nonsense()).paradigm("haus", pos="N")
    assert sorted(page.forms()) == sorted(cell.form for cell in expected.cells)
    link = page.browser.current_url
    said = {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}
    assert said == {"model": "latin", "lemma": "haus", "pos": "N", "features": features}

    page.browser.get("about:blank")
    page.browser.get(link)
    page.shows(form_of(features))
    assert page.find("lemma").get_property("value") == "haus"
    assert page.find("cell").text == "Dative · plural"
    assert page.all("[aria-pressed=true]")[0].get_attribute("data-features") == features
    page.find("close").click()
    assert not page.find("answer").is_displayed()
    assert "features" not in page.browser.current_url
    page.browser.get_log("performance")  # about:blank is not ours


def test_what_was_guessed_of_a_word_can_be_put_right(page: Page) -> None:
    page.open(model="latin", lemma="haus")
    page.choose("menu-part-of-speech", "N")
    page.wait(lambda: page.all("[data-features='N;MASC;DAT;PL']"))

    def offered() -> list[str | None]:
        return [box.get_attribute("value") for box in Select(page.find("menu-gender")).options]

    page.wait(lambda: offered() == ["", "FEM", "MASC"])
    page.choose("menu-gender", "FEM")
    page.wait(lambda: page.all("[data-features='N;FEM;DAT;PL']"))
    assert not page.all("[data-features='N;MASC;DAT;PL']")
    page.choose("menu-part-of-speech", "V")
    page.wait(lambda: page.all("[data-features='V;PST']"))
    assert not page.all("#menu-gender")


def test_a_model_without_cells_has_menus_of_all_values(page: Page) -> None:
    page.open(model="old", lemma="haus")
    page.choose("menu-tense", "PST")
    page.shows(form_of("PST", cells=False))
    page.choose("menu-part-of-speech", "V")
    page.shows(form_of("V;PST", cells=False))
    assert not page.find("words").is_displayed()


def test_the_box_finds_words_and_languages(page: Page) -> None:
    page.open(model="english")
    page.wait(lambda: page.all("#examples a"))
    box = page.find("lemma")
    box.send_keys("gut")
    page.wait(lambda: "German" in page.find("hits").text)
    chips = page.all("#hits button")
    next(chip for chip in chips if chip.text.startswith("German")).click()
    page.wait(lambda: "besser" in page.forms())
    assert page.find("model").get_property("value") == "german"
    box.clear()
    box.send_keys("suomi")
    page.wait(lambda: "Finnish" in page.find("hits").text)
    box.clear()
    box.send_keys("russian дом", Keys.ENTER)
    page.wait(lambda: "домов" in page.forms())
    page.browser.get_log("browser")  # Cyrillic letters in German were refused with 422


def test_examples_lead_to_their_forms(page: Page) -> None:
    page.open(PHONE, model="english")
    page.wait(lambda: page.all("#examples a"))
    assert page.all("#examples a")[0].text == "English\ngo → went"
    page.all("#examples a")[0].click()
    page.shows("went")
    assert not page.find("examples").is_displayed()
    page.browser.back()
    page.wait(lambda: page.find("examples").is_displayed())


def test_a_link_has_a_preview_card(service: Service) -> None:
    def get(path: str, **query: str) -> tuple[bytes, Any]:
        with urlopen(f"{service.url}{path}?{urlencode(query)}") as answer:
            return answer.read(), answer.headers

    query = {"model": "english", "lemma": "go", "features": "V;PST"}
    page, headers = get("/", **query)
    tags = dict(re.findall(r'<meta property="([^"]+)" content="([^"]*)">', page.decode()))
    assert tags["og:title"] == "go → went"
    assert tags["og:description"] == "English. past: went"
    address = urlsplit(unescape(tags["og:image"]))
    assert dict(parse_qsl(address.query)) == query
    assert unescape(tags["og:image"]).startswith(f"{service.url}/card.png?")
    assert "default-src 'none'" in headers["content-security-policy"]
    picture, headers = get("/card.png", **query)
    assert headers["content-type"] == "image/png"
    assert picture.startswith(b"\x89PNG")
    assert struct.unpack(">II", picture[16:24]) == (1200, 630)
    fixed, _ = get("/card.png", model="english", lemma="дом")
    assert fixed.startswith(b"\x89PNG")
    assert fixed != picture
    word, _ = get("/", model="english", lemma="go")
    assert "gone" in word.decode()
    nonsense, _ = get("/", model="english", lemma='"><script>', features="V;PST")
    assert b'"><script>' not in nonsense
    assert b"&quot;&gt;&lt;script&gt;" in nonsense


def test_the_walk_can_be_saved_as_a_picture(page: Page, tmp_path: Path) -> None:
    behavior = {"behavior": "allow", "downloadPath": str(tmp_path)}
    page.browser.execute_cdp_cmd("Browser.setDownloadBehavior", behavior)
    page.open(model="german-nouns", lemma="a<b&c", pos="N")
    page.wait(lambda: page.tiles())
    page.find("save").click()
    page.wait(lambda: list(tmp_path.glob("*.svg")))
    [saved] = tmp_path.glob("*.svg")
    root = ElementTree.parse(saved).getroot()
    texts = [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert page.find("form").text in texts
    assert {"a", "<", "b", "&", "c"} <= set(texts)


@pytest.mark.parametrize(
    ("model", "lemma", "features", "rtl"),
    [
        ("arabic", ARABIC, "N;DEF;NOM;SG", True),
        ("georgian", GEORGIAN, "N;DAT;PL", False),
        ("german-nouns", "Traumhaus", "N;NEUT;DAT;PL", False),
    ],
)
def test_the_walk_in_any_script(
    page: Page, model: str, lemma: str, features: str, rtl: bool
) -> None:
    """Each frame shows what the inflector did, in the direction of the script."""
    prediction = load(model)(lemma, features, n_best=3)
    steps = prediction.explanation()["steps"]
    page.open(model=model, lemma=lemma, features=features)
    page.shows(prediction.form)
    tiles = page.tiles()
    assert [tile.text for tile in tiles] == ["·", *lemma, "·"]
    assert (tiles[0].rect["x"] > tiles[-1].rect["x"]) == rtl
    stage = page.find("stage")
    stage.send_keys(Keys.HOME)
    onwards = Keys.ARROW_LEFT if rtl else Keys.ARROW_RIGHT
    written = ""
    for place, step in enumerate(steps):
        written += step["symbol"] or ""
        assert page.attended() == step["position"]
        assert page.find("written").text in (written, "…" * (not written))
        assert page.find("count").text == f"{place + 1} / {len(steps)}"
        stage.send_keys(onwards)
    assert written == prediction.form
    assert page.attended() == steps[-1]["position"]


def test_the_walk_plays_pauses_and_is_scrubbed(page: Page) -> None:
    page.open(model="german-nouns", lemma="ab", pos="N")
    page.wait(lambda: page.tiles())
    last = page.find("scrub").get_property("max")
    play = page.find("play")
    play.click()
    assert play.accessible_name == "Pause"
    seen = {page.attended()}
    page.wait(lambda: seen.add(page.attended()) or play.accessible_name == "Play")
    seen.add(page.attended())  # the last frame may come between two polls
    assert seen == {0, 1, 2, 3}
    assert page.find("scrub").get_property("value") == last
    play.click()
    play.click()
    assert play.accessible_name == "Play"
    stopped_at = page.find("count").text
    time.sleep(0.6)
    assert page.find("count").text == stopped_at
    page.find("scrub").send_keys(Keys.HOME)
    assert page.attended() == 0
    page.find("scrub").send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert page.find("count").text.startswith("3 ")
    page.find("back").click()
    assert page.find("count").text.startswith("2 ")


def test_soft_attention_is_heat(page: Page) -> None:
    page.open(model="soft", lemma="haus", pos="V", features="V;PST")
    prediction = Inflector(nonsense(kind="soft"))("haus", "V;PST", n_best=3, attention=True)
    page.shows(prediction.form)
    page.find("stage").send_keys(Keys.HOME)
    assert prediction.attention is not None
    tiles = "[...document.querySelectorAll('.tile')]"
    script = f"return {tiles}.map((tile) => Number(tile.style.getPropertyValue('--heat')))"
    heat = page.browser.execute_script(script)
    assert heat == pytest.approx(prediction.attention[0], abs=1e-3)


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
@pytest.mark.parametrize("model", ["latin", "german-nouns"])
def test_long_words_fit_and_all_controls_have_names(
    page: Page, size: tuple[int, int], model: str
) -> None:
    page.open(size, model=model, lemma="donaudampfschifffahrtsgesellschaftskapitän" * 2, pos="N")
    page.wait(lambda: page.all("button.form"))
    page.all("button.form")[0].click()
    page.wait(lambda: page.tiles())
    page.browser.execute_script("document.getElementById('word').open = true")
    root = "document.documentElement"
    assert page.browser.execute_script(f"return {root}.scrollWidth <= {root}.clientWidth")
    controls = page.all("button, input, select, meter, summary, [tabindex]")
    controls = [control for control in controls if control.is_displayed()]
    assert len(controls) > 10
    assert [c.get_attribute("outerHTML") for c in controls if not c.accessible_name.strip()] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(page: Page, scheme: str) -> None:
    """Contrast of at least 4.5 to 1 for all text, by WCAG's formula."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    page.open(model="latin", lemma="haus", pos="N")
    page.wait(lambda: page.find("words").is_displayed())
    time.sleep(0.3)  # colours change with a transition
    poor = page.browser.execute_script(CONTRAST)
    assert poor == []


CONTRAST = """
const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
  .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
  .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
const ground = (element) => {
  for (let e = element; e; e = e.parentElement) {
    const [r, g, b, a = 1] = rgb(getComputedStyle(e).backgroundColor);
    if (a === 1) return [r, g, b];
  }
};
return [...document.querySelectorAll("p, span, label, legend, h1, h2, th, bdi, small, output, a")]
  .filter((e) => e.textContent.trim() && e.offsetParent)
  .filter((e) => {
    const [a, b] = [light(rgb(getComputedStyle(e).color)), light(ground(e))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
  })
  .map((e) => e.outerHTML);
"""


def test_what_is_typed_is_only_text(page: Page) -> None:
    lemma = "<img src=//x onerror=alert(1)>"
    page.open(model="german-nouns", lemma=lemma, pos="N")
    page.wait(lambda: page.tiles())
    assert page.all("#readings h2")[0].text == lemma


def test_what_goes_wrong_is_said_kindly(page: Page) -> None:
    page.open(model="latin", lemma="haus", pos="N", feature="case=ERG")
    page.wait(lambda: "nknown value 'ERG' of case" in page.find("message").text)
    assert not page.find("answer").is_displayed()
    page.open(model="german", lemma="дом")
    page.wait(lambda: "Cyrillic letters, and German is not" in page.find("message").text)
    page.wait(lambda: "Russian" in page.find("hits").text)
    page.open(model="english", lemma="go", features="ergative")
    page.wait(lambda: "English has no form “ergative”" in page.find("message").text)
    assert "went" in page.forms()
    page.browser.get_log("browser")  # the browser logs the statuses 422 itself
    page.open(model="latin", lemma="")
    page.wait(lambda: Select(page.find("model")).options)
    assert not page.find("answer").is_displayed()
    assert not page.find("words").is_displayed()
