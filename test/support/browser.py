"""A real browser for tests: Debian's chromium, driven through chromium-driver."""
import shutil
from contextlib import contextmanager

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

FLAGS = ("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
         "--disable-dev-shm-usage", "--window-size=800,450", "--force-device-scale-factor=1")
PATIENCE = 100.0        # [s] a state is waited for
SELDOM = "window.requestAnimationFrame = draw => setTimeout(() => draw(performance.now()), 500);"
UNCOVERED = """
  addEventListener('DOMContentLoaded', () => {
    const style = document.head.appendChild(document.createElement('style'));
    style.textContent = '[role=alert] { display: none !important }';
  });
"""     # a notice that there is no GPU stands in front of the robot and takes its clicks


def installed():
    """Whether chromium and its driver are here."""
    return shutil.which("chromium") is not None and shutil.which("chromedriver") is not None


@contextmanager
def browser(folder):
    """A headless browser with its profile in `folder`; it draws seldom, as without a GPU each frame is costly."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in (*FLAGS, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    driver = webdriver.Chrome(options, Service(shutil.which("chromedriver")))
    try:
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": SELDOM + UNCOVERED})
        yield driver
    finally:
        driver.quit()


def wait(driver, condition, what, patience=PATIENCE):
    """Waits until `condition(driver)` is true, whatever it raises before."""
    return WebDriverWait(driver, patience, 0.2, (Exception,)).until(condition, f"waited in vain for: {what}")


def text(driver):
    """All text of the page."""
    return driver.execute_script("return document.body.innerText")
