"""The page in a real browser: headless Chromium, driven by Selenium."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

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
def service(tmp_path_factory: pytest.TempPathFactory, trained_model: Path) -> Iterator[Service]:
    models = {
        "latin": nonsense(),
        "soft": nonsense(kind="soft"),
        "old": nonsense(cells=False),
    }
    arguments = save(tmp_path_factory.mktemp("models"), **models)
    with running(*arguments, f"trained={trained_model}", "arabic", "georgian") as service:
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
        self.wait(lambda: Select(self.find(menu)).select_by_value(value) or True)

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


def test_pick_type_choose_share(page: Page) -> None:
    page.open()
    page.wait(lambda: Select(page.find("model")).options)
    Select(page.find("model")).select_by_value("latin")
    page.find("lemma").send_keys("haus")
    page.choose("menu-part-of-speech", "N")
    page.choose("menu-number", "PL")
    page.choose("menu-case", "DAT")
    features = "N;MASC;DAT;PL"
    page.shows(form_of(features))
    cells = page.browser.find_elements("css selector", "#table button bdi")
    expected = Inflector(nonsense()).paradigm("haus", pos="N")
    assert sorted(cell.text for cell in cells) == sorted(cell.form for cell in expected.cells)
    link = page.browser.current_url
    said = {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}
    assert said == {"model": "latin", "lemma": "haus", "pos": "N", "features": features}

    page.browser.get("about:blank")
    page.browser.get(link)
    page.shows(form_of(features))
    assert page.find("lemma").get_property("value") == "haus"
    for menu, value in (("menu-number", "PL"), ("menu-case", "DAT"), ("model", "latin")):
        assert page.find(menu).get_property("value") == value
    pressed = page.browser.find_element("css selector", "#table [aria-pressed=true]")
    assert pressed.get_attribute("data-features") == features
    page.browser.get_log("performance")  # about:blank is not ours


def test_menus_offer_only_what_the_model_knows(page: Page) -> None:
    page.open(model="latin", lemma="haus", pos="N", features="N;MASC;NOM;SG")
    page.shows(form_of("N;MASC;NOM;SG"))

    def offered(menu: str) -> list[str | None]:
        return [option.get_attribute("value") for option in Select(page.find(menu)).options]

    assert offered("menu-case") == ["NOM", "DAT"]
    assert offered("menu-gender") == ["", "FEM", "MASC"]
    assert not page.browser.find_elements("id", "menu-tense")
    page.choose("menu-gender", "FEM")
    page.shows(form_of("N;FEM;NOM;SG"))
    page.choose("menu-part-of-speech", "V")
    page.wait(lambda: page.browser.find_elements("id", "menu-tense"))
    assert offered("menu-tense") == ["PRS", "PST"]
    assert not page.browser.find_elements("id", "menu-case")


def test_a_cell_of_the_paradigm_can_be_chosen(page: Page) -> None:
    page.open(model="latin", lemma="haus", pos="N", features="N;MASC;NOM;SG")
    page.shows(form_of("N;MASC;NOM;SG"))
    page.browser.find_element("css selector", "[data-features='N;MASC;DAT;PL']").click()
    page.shows(form_of("N;MASC;DAT;PL"))
    page.wait(lambda: page.find("menu-case").get_property("value") == "DAT")


def test_a_model_without_cells_has_menus_of_all_values(page: Page) -> None:
    page.open(model="old", lemma="haus")
    page.choose("menu-tense", "PST")
    page.shows(form_of("PST", cells=False))
    page.choose("menu-part-of-speech", "V")
    page.shows(form_of("V;PST", cells=False))
    assert not page.find("paradigm").is_displayed()


@pytest.mark.parametrize(
    ("model", "lemma", "features", "rtl"),
    [
        ("arabic", ARABIC, "N;DEF;NOM;SG", True),
        ("georgian", GEORGIAN, "N;DAT;PL", False),
        ("trained", "haus", "N;PL", False),
    ],
)
def test_the_walk_in_any_script(
    page: Page, trained_model: Path, model: str, lemma: str, features: str, rtl: bool
) -> None:
    """Each frame shows what the inflector did, in the direction of the script."""
    inflector = load(trained_model if model == "trained" else model)
    prediction = inflector(lemma, features, n_best=3)
    assert prediction.steps
    page.open(model=model, lemma=lemma, features=features)
    page.shows(prediction.form)
    tiles = page.tiles()
    assert [tile.text for tile in tiles] == ["·", *lemma, "·"]
    assert (tiles[0].rect["x"] > tiles[-1].rect["x"]) == rtl
    stage = page.find("stage")
    stage.send_keys(Keys.HOME)
    onwards = Keys.ARROW_LEFT if rtl else Keys.ARROW_RIGHT
    written = ""
    for place, step in enumerate(prediction.steps):
        written += step.written
        assert page.attended() == step.position
        assert page.find("written").text in (written, "…" * (not written))
        assert page.find("count").text == f"{place + 1} / {len(prediction.actions)}"
        stage.send_keys(onwards)
    assert written == prediction.form
    assert page.attended() == prediction.positions[-1]


def test_the_walk_plays_pauses_and_is_scrubbed(page: Page) -> None:
    page.open(model="trained", lemma="ab", pos="N")
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
@pytest.mark.parametrize("model", ["latin", "trained"])
def test_long_words_fit_and_all_controls_have_names(
    page: Page, size: tuple[int, int], model: str
) -> None:
    page.open(size, model=model, lemma="donaudampfschifffahrtsgesellschaftskapitän" * 2, pos="N")
    page.wait(lambda: page.tiles())
    page.wait(lambda: page.find("paradigm").is_displayed())
    root = "document.documentElement"
    assert page.browser.execute_script(f"return {root}.scrollWidth <= {root}.clientWidth")
    controls = page.browser.find_elements(
        "css selector", "button, input, select, meter, [tabindex]"
    )
    assert len(controls) > 10
    assert [c.get_attribute("outerHTML") for c in controls if not c.accessible_name.strip()] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(page: Page, scheme: str) -> None:
    """Contrast of at least 4.5 to 1 for all text, by WCAG's formula."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    page.open(model="latin", lemma="haus", pos="N")
    page.wait(lambda: page.find("paradigm").is_displayed())
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
    page.open(model="trained", lemma=lemma, pos="N")
    page.wait(lambda: page.tiles())
    assert page.find("paradigm-note").text.startswith(lemma)


def test_what_goes_wrong_is_said(page: Page) -> None:
    page.open(model="latin", lemma="haus", pos="N", feature="case=ERG")
    page.wait(lambda: "unknown value 'ERG' of case" in page.find("message").text)
    assert not page.find("answer").is_displayed()
    page.browser.get_log("browser")  # the browser logs the 422 itself
    page.open(model="latin", lemma="")
    page.wait(lambda: "Type a word" in page.find("message").text)
