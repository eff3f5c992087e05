"""People who use the studio's pages in chromium, by mouse and keys."""

from __future__ import annotations

import time

from served import Served

VIEWPORT = {"width": 1280, "height": 800}
"""Size of a page [px]."""


class PageUser:
    """A page and the hands on it; what it complains of is kept."""

    def __init__(self, page, timeout: float, *, console: bool = True) -> None:
        self.page, self.timeout = page, timeout
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        if console:
            page.on("console", lambda text: self.errors.append(text.text) if text.type == "error" else None)

    def wait(self, condition: str, seconds: float | None = None) -> None:
        """Look again and again, in the page: the page's policy forbids what playwright's own waiting does."""
        end = time.monotonic() + (self.timeout if seconds is None else seconds)
        while not self._comes(condition, end - time.monotonic()):
            assert time.monotonic() < end, f"in vain: {condition}; {self.get('document.body.innerText')[:800]}"

    def _comes(self, condition: str, seconds: float) -> bool:
        """Whether it comes true in time; not yet where the page goes to another address meanwhile."""
        from playwright.sync_api import Error

        looking = """new Promise((done, failed) => {
          const end = performance.now() + SECONDS * 1000;
          const look = () => {
            try {
              if (CONDITION) done(true);
              else if (performance.now() > end) done(false);
              else setTimeout(look, 20);
            } catch (error) { failed(error); }
          };
          look();
        })"""
        try:
            return self.get(looking.replace("SECONDS", f"{seconds:.3f}").replace("CONDITION", condition))
        except Error as error:
            if "context was destroyed" not in str(error):
                raise
            return False

    def get(self, expression: str):
        return self.page.evaluate(expression)

    def done(self) -> None:
        """Close the page, which has complained of nothing."""
        self.page.close()
        assert not self.errors


class StudioUser(PageUser):
    """A person at the studio's page."""

    def __init__(self, chromium: object, studio: Served, file: str = "", timeout: float = 60.0) -> None:
        super().__init__(chromium.new_page(viewport=VIEWPORT), timeout)
        self.page.set_default_timeout(1000 * timeout)
        self.page.goto(studio.url + (f"&file={file}" if file else ""))
        if file:
            self.page.wait_for_selector(".joint")
            self.wait(f"studio.store.state?.file === '{file}' && studio.store.trajectory && studio.text")

    def make(self, file: str, *, robot: str = "", begin_with: str = "") -> None:
        """Make a document from the list of files, empty and of a robot, or as a copy of a shipped library."""
        page = self.page
        page.click("dialog button:has-text('New…')")
        page.fill("dialog input", file)
        if begin_with:
            page.select_option("[aria-label='Begin with']", begin_with)
        else:
            page.select_option("dialog select", robot)
        page.click("text=Make it")
        self.wait(f"studio.store.state?.file === '{file}' && !document.querySelector('dialog') && studio.text")

    def joint(self, name: str, value: float) -> None:
        box = self.page.locator(f'[data-joint="{name}"] input[type=number]')
        box.fill(str(value))
        box.press("Tab")

    def press(self, key: str) -> None:
        self.page.locator("canvas[aria-label=Timeline]").press(key)

    def choose(self, number: int) -> None:
        """Click a keyframe's square in the timeline's head, counted from 1."""
        x = self.get(f"studio.timeline.x(studio.store.places()[{number - 1}].end)")
        self.page.locator("canvas[aria-label=Timeline]").click(position={"x": x, "y": 25})
        self.wait("studio.store.chosen.length === 1")

    def place(self, name: str) -> tuple[float, float]:
        """Where a handle is on the screen [px]."""
        code = """(() => { const { view } = studio;
        const { mesh } = [...view.handles, view.com].find(({ handle }) => handle.name === NAME);
        const at = mesh.position.clone().project(view.camera); const box = view.node.getBoundingClientRect();
        return [box.x + (at.x + 1) / 2 * box.width, box.y + (1 - at.y) / 2 * box.height]; })()"""
        return tuple(self.get(code.replace("NAME", repr(name))))

    def undo(self) -> None:
        """Take one step back by the key."""
        revision = self.get("studio.store.revision")
        self.press("Control+z")
        self.wait(f"studio.store.revision > {revision}")

    def undo_all(self) -> int:
        """Take everything back by the button; how many steps that were."""
        steps = 0
        press = "(button => { if (!button.disabled) button.click(); return !button.disabled; })"
        while True:
            revision = self.get("studio.store.revision")
            # Whether there is more to take back is told a moment after the step, so that the button may go in between.
            if not self.get(f"{press}(document.querySelector('button[aria-label=Undo]'))"):
                break
            self.wait(f"studio.store.revision > {revision} || !studio.store.flags.canUndo")
            steps += 1
            self.settled()
        self.settled()
        return steps

    def check(self) -> None:
        """Open the checks, which find no error."""
        self.page.click("[data-tab=Checks]")
        found = "document.querySelector('.findings strong').textContent.startsWith('0 errors')"
        self.wait(f"!studio.store.checking && {found}")

    def save(self) -> None:
        self.page.click("header.top >> text=Save")
        self.page.click("dialog .primary")
        self.wait("!document.querySelector('dialog') && !studio.store.flags.changed")

    def settled(self) -> None:
        """Wait until all edits of the text have gone to the server."""
        self.page.wait_for_timeout(150)
        self.wait("studio.text.flying === null && studio.text.waiting === null")


class TerrainUser(PageUser):
    """A person at the terrain page."""

    def __init__(self, chromium: object, studio: Served) -> None:
        super().__init__(chromium.new_page(viewport=VIEWPORT), timeout=120.0)
        self.page.goto(f"http://127.0.0.1:{studio.port}/terrain.html?token={studio.token}")
        self.wait("terrain.state.board && !terrain.state.busy")

    def choose(self, label: str, value: str) -> None:
        self.page.select_option(f'[aria-label="{label}"]', value)
        self.answered()

    def answered(self) -> None:
        """Wait until the server has answered all that was asked; a footstep that is clicked makes nothing busy."""
        self.wait("!terrain.state.busy && terrain.connection.waiting.size === 0")

    def click_ground(self, x: float, y: float) -> None:
        u, v = self.get(f"terrain.view.onPage({x}, {y}, terrain.view.height({x}, {y}))")
        self.page.locator(".scene canvas").click(position={"x": u, "y": v})
        self.answered()
