"""What a browser has to fetch before the robot is seen, what it keeps, and whether everybody can use the pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_users import VIEWPORT, PageUser, StudioUser
from served import Served
from studio_text import TEXT

REPOSITORY = Path(__file__).resolve().parents[2]
AXE = REPOSITORY / "web" / "node_modules" / "axe-core" / "axe.min.js"
FIRST = 300_000
"""Bytes, compressed, that a page may take before its robot is seen."""
pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_the_robot_is_seen_before_the_editor_comes_and_the_second_time_from_the_cache(
    chromium: object, studio: Served
) -> None:
    (studio.folder / "load.yaml").write_text(TEXT)
    context = chromium.new_context(viewport=VIEWPORT)
    page = context.new_page()
    order: list[tuple[str, int]] = []
    page.on("response", lambda answer: order.append((answer.url, int(answer.headers.get("content-length", "0")))))
    user = PageUser(page, 60.0)
    page.goto(f"{studio.url}&file=load.yaml")
    user.wait("studio.view.robot && studio.view.frames > 0 && studio.text")
    names = [url.rpartition("/")[2] for url, _ in order]
    assert "robot3d.js" in names
    before = order[: names.index("text.js")]
    assert not any("code_colors" in url for url, _ in before)
    assert 100_000 < sum(size for _, size in before) <= FIRST
    order.clear()
    page.reload()
    user.wait("studio.view.robot && studio.view.frames > 0 && studio.text")
    # What is kept under the name of its content is not asked for again.
    kept = "performance.getEntriesByType('resource').filter(({ name }) => name.includes('/page-'))"
    assert user.get(f"{kept}.length") >= 5
    assert user.get(f"{kept}.every(({{ transferSize }}) => transferSize === 0)")
    user.done()
    context.close()


def serious(user: PageUser) -> list[str]:
    """What axe-core finds that is serious or worse."""
    user.get(f"{AXE.read_text()}; 0")
    found = user.get("axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)")
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:150]} ({len(each['nodes'])})"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


@pytest.mark.slow
@pytest.mark.skipif(not AXE.is_file(), reason="needs web/node_modules (npm ci in web)")
def test_no_page_has_a_serious_finding_of_axe(chromium: object, studio: Served) -> None:
    (studio.folder / "axe.yaml").write_text(TEXT)
    user = StudioUser(chromium, studio, "axe.yaml")
    found = {}
    for theme in ("light", "dark"):
        user.get(f"document.documentElement.dataset.theme = '{theme}'")
        for tab in ("Text", "Keyframe", "Postures", "Checks", "Run", "Plots"):
            user.page.click(f"[data-tab={tab}]")
            user.wait("!studio.store.checking")
            found[f"{theme} {tab}"] = serious(user)
    user.page.keyboard.press("Control+o")
    user.page.click("dialog button:has-text('New…')")
    found["new"] = serious(user)
    user.done()
    for name, ready in (
        ("lessons.html", "document.querySelector('main, h1, h2')"),
        ("terrain.html", "terrain.state.board"),
    ):
        other = PageUser(chromium.new_page(viewport=VIEWPORT), 120.0)
        other.page.goto(f"http://127.0.0.1:{studio.port}/{name}?token={studio.token}")
        other.wait(ready)
        found[name] = serious(other)
        other.done()
    assert {place: each for place, each in found.items() if each} == {}


def test_a_keyframe_is_made_and_run_by_keys_alone(chromium: object, studio: Served) -> None:
    (studio.folder / "keys.yaml").write_text(TEXT)
    user = StudioUser(chromium, studio, "keys.yaml")
    keys = user.page.keyboard
    before = user.get("studio.store.places().length")
    focused = "document.activeElement?.closest('[data-joint=HeadYaw]') && document.activeElement.type === 'number'"
    for _ in range(60):
        if user.get(f"Boolean({focused})"):
            break
        keys.press("Tab")
    assert user.get(f"Boolean({focused})")
    keys.press("Control+a")
    keys.type("12")
    keys.press("Tab")
    user.wait("studio.store.loose")
    # Leave the field, so that letters are commands.
    for _ in range(10):
        if not user.get("Boolean(document.activeElement.closest('select, input'))"):
            break
        keys.press("Tab")
    keys.press("i")
    user.wait(f"studio.store.places().length === {before + 1} && studio.store.chosen.length === 1")
    made = user.get("studio.store.keyframe(studio.store.chosen[0]).joints.HeadYaw")
    assert made == pytest.approx(0.20944, abs=1e-4)
    keys.press("p")
    user.wait("studio.store.run?.verdict")
    user.done()


HAS_FOCUS = "document.activeElement.matches"
ENDS = "studio.store.places().map(({ end }) => end)"


def test_keys_move_keyframes_panes_and_tabs_and_the_focus_is_never_lost(chromium: object, studio: Served) -> None:
    (studio.folder / "focus.yaml").write_text(TEXT)
    user = StudioUser(chromium, studio, "focus.yaml")
    keys = user.page.keyboard
    # The bar of the time axis is made anew with another motion.
    user.page.focus('[aria-label="Motion or block"]')
    for key, motion in (("ArrowDown", "nod"), ("ArrowUp", "wave")):
        keys.press(key)
        user.wait(f"studio.store.motion === '{motion}' && {HAS_FOCUS}('[aria-label=\"Motion or block\"]')")
    user.page.focus("canvas[aria-label=Timeline]")
    keys.press("ArrowDown")
    keys.press("ArrowDown")
    user.wait(
        "document.querySelector('.timeline .said').textContent.startsWith('Keyframe 1 of 4 of wave, 0.60 to 0.90')"
    )
    before = user.get(ENDS)
    tick = user.get("studio.store.robot.tick")
    for _ in range(5):
        keys.press("Shift+ArrowRight")
    user.wait(f"Math.abs({ENDS}[1] - {before[1]} - 5 * {tick}) < 1e-6")
    assert user.get(ENDS)[2:] == pytest.approx(before[2:])
    assert user.get("studio.store.playhead") == pytest.approx(before[1] + 5 * tick)
    # Five presses are one step, and the button that takes it back is switched off by that.
    user.page.focus("button[aria-label=Undo]")
    keys.press("Enter")
    user.wait(f"!studio.store.flags.canUndo && {HAS_FOCUS}('button[aria-label=Redo]')")
    assert user.get(ENDS) == pytest.approx(before)
    user.page.focus("[role=tab][aria-selected=true]")
    keys.press("ArrowRight")
    assert user.get(f"{HAS_FOCUS}('[data-tab=Keyframe][aria-selected=true]')")
    assert user.get("document.querySelector('#pane-Keyframe').checkVisibility()")
    user.page.focus(".splitter.left")
    wide = "document.querySelector('.left .pane').getBoundingClientRect().width"
    old = user.get(wide)
    keys.press("ArrowRight")
    assert user.get(wide) == pytest.approx(old + 16)
    keys.press("Enter")
    assert user.get(wide) == pytest.approx(old)
    user.page.click("[data-tab=Text]")
    user.page.focus(".cm-content")
    keys.press("Escape")
    keys.press("Tab")
    assert not user.get("document.activeElement.closest('.cm-editor')")
    # What closes gives the focus back to where it came from.
    user.page.focus("button[aria-label=Help]")
    keys.press("Enter")
    keys.press("Escape")
    assert user.get(f"{HAS_FOCUS}('button[aria-label=Help]')")
    nodes = user.page.context.new_cdp_session(user.page).send("Accessibility.getFullAXTree")["nodes"]
    told = {(node["role"]["value"], node["name"]["value"]) for node in nodes if not node["ignored"] and "name" in node}
    roles = {
        "button",
        "checkbox",
        "combobox",
        "link",
        "searchbox",
        "slider",
        "spinbutton",
        "splitter",
        "tab",
        "textbox",
    }
    assert {role for role, name in told if role in roles and not name.strip()} == set()
    assert {("application", "Timeline"), ("heading", "Andante studio"), ("tabpanel", "Text")} <= told
    pressed = "[...document.querySelectorAll('.view-tools [aria-pressed=true]')].map(({ textContent }) => textContent)"
    assert user.get(pressed) == ["Handles", "Hold feet", "Limb first", "Balance"]
    # With the system's few colours, too, what is on looks otherwise than what is off.
    user.page.emulate_media(forced_colors="active")
    look = "getComputedStyle(document.querySelector('.view-tools [aria-pressed={}]')).backgroundColor"
    assert user.get(look.format("true")) != user.get(look.format("false"))
    assert user.get("getComputedStyle(document.querySelector('.stage .playhead')).forcedColorAdjust") == "none"
    user.done()


def test_pages_work_where_the_browser_keeps_nothing(chromium: object, studio: Served) -> None:
    """As with site data forbidden, or with no room for it."""
    (studio.folder / "nothing.yaml").write_text(TEXT)
    for forbid in (
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('no', 'SecurityError'); }})",
        "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }",
    ):
        context = chromium.new_context(viewport=VIEWPORT)
        context.add_init_script(forbid)
        user = PageUser(context.new_page(), 60.0)
        user.page.goto(f"{studio.url}&file=nothing.yaml")
        user.wait("studio.store.trajectory && studio.text")
        theme = "document.documentElement.dataset.theme"
        user.page.click("button[aria-label='Light or dark']")
        assert user.get(theme) == "dark"
        user.page.click("[data-tab=Run]")
        user.wait("document.querySelector('#pane-Run').checkVisibility()")
        for name in ("terrain", "experiments", "lessons"):
            user.page.goto(studio.url.replace("/?", f"/{name}.html?"))
            user.wait("document.querySelector('main, .lesson') !== null")
        user.done()
        context.close()


def test_pages_fit_a_telephone(chromium: object, studio: Served) -> None:
    """Nothing lies beside the screen, the robot is large, and what lies below is reached by scrolling down."""
    (studio.folder / "narrow.yaml").write_text(TEXT)
    context = chromium.new_context(viewport={"width": 390, "height": 844})
    user = PageUser(context.new_page(), 60.0)
    user.page.goto(f"{studio.url}&file=narrow.yaml")
    user.wait("studio.view.robot && studio.view.frames > 0 && studio.text")
    width = "document.documentElement.scrollWidth"
    assert user.get(width) == 390
    scene = user.get(
        "(({ width, height }) => [width, height])(document.querySelector('.middle canvas').getBoundingClientRect())"
    )
    assert scene[0] > 350
    assert scene[1] > 250
    # Between a telephone and a wide screen, as with a large zoom: the picture is not what gives way.
    for wide, high in ((800, 600), (1024, 576), (1100, 700)):
        user.page.set_viewport_size({"width": wide, "height": high})
        user.wait(f"{width} === {wide} && studio.view.node.clientHeight > 150 && studio.view.node.clientWidth > 350")
    user.page.set_viewport_size({"width": 390, "height": 844})
    user.page.locator("aside.side").scroll_into_view_if_needed()
    assert user.get("scrollY") > 500
    for name in ("terrain", "experiments", "lessons"):
        user.page.goto(studio.url.replace("/?", f"/{name}.html?"))
        user.wait("document.querySelector('main, .lesson') !== null")
        assert user.get(width) == 390, name
    user.done()
    context.close()
