"""The browser that tests look at pages with: chromium's headless shell where it is there, else chromium.

The shell is the same engine without the window around a page. A page that is opened in it takes half of the processor
time. The nightly job has only chromium, so that both are tried.
"""

from __future__ import annotations

import shutil

BROWSER_PATH = shutil.which("chromium-headless-shell") or shutil.which("chromium")
"""Program of the browser; nothing where neither is installed."""
