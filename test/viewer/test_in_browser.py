"""The page in a real browser beside real nodes: it loads, moves the arm, solves targets, tells of a death."""
import io
import re
from contextlib import ExitStack, suppress
from itertools import product

import numpy as np
import pytest
from matplotlib.image import imread
from sensor_msgs.msg import JointState

import rdyn_ros as rdyn

pytest.importorskip("viser", reason="the viewer's packages are not installed")
from selenium.common.exceptions import TimeoutException
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By

from rdyn_ros.viewer.shapes import reach
from support.browser import PATIENCE, browser, installed, text, wait
from support.ros_peer import Listener, node_process

pytestmark = [pytest.mark.processes, pytest.mark.timeout(400),
              pytest.mark.skipif(not installed(), reason="the programs chromium and chromedriver are not installed")]
ROBOT = "arm_6r"
START = [0.0, 0.2, 0.0, 0.1, 0.3, 0.0]
NODES = {"simulator": {"rate": 100.0, "step": 0.01, "friction": "false", "start": START},
         "dynamics": {"state_timeout": 5.0},
         "control": {"state_timeout": 5.0, "max_delta_tau": "[100.0]", "natural_frequency": "[4.0]"},
         "viewer": {"rate": 4.0, "port": 18090, "simulator": "arm_simulator"}}
NAMES = {"simulator": ["__node:=arm_simulator"]}
RED = "214, 39, 40"
MISSED = 4.0    # [s] after which a drag that did not move the target is tried along another axis
COLOURED = """
  const canvas = document.querySelectorAll('.uplot canvas')[arguments[0]];
  const rgba = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0;
  for (let i = 0; i < rgba.length; i += 4) {
    const pixel = rgba.subarray(i, i + 3);
    count += Math.max(...pixel) - Math.min(...pixel) > 60;
  }
  return count;
"""     # pixels of a plot that are not grey


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    """(browser on the page, listener, processes by name) of a simulated arm with all nodes."""
    with ExitStack() as stack:
        nodes = {name: stack.enter_context(node_process(
            f"rdyn_ros.nodes.{name}_node", remap=NAMES.get(name, ()),
            parameters={"robot": ROBOT, "joint_prefix": "left_", **parameters}))
            for name, parameters in NODES.items()}
        listener = stack.enter_context(Listener())
        page = listener.wait(lambda: re.search(r"http://\S+", nodes["viewer"].output), "the page", PATIENCE)
        driver = stack.enter_context(browser(tmp_path_factory.mktemp("profile")))
        driver.get(page[0])
        yield driver, listener, nodes


def field(driver, label, k=0):
    """The k-th input of the row with this label."""
    row = f"//label[normalize-space()='{label}']/ancestor::*[.//input][1]"
    return driver.find_elements(By.XPATH, f"{row}//input[not(@type='hidden')]")[k]


def position(driver):
    """The target's position in the panel."""
    return [float(field(driver, "position [m]", k).get_attribute("value")) for k in range(3)]


def on_screen(point, size, height):
    """Pixel of a point, seen by the camera as the viewer places it at first, from the middle of the scene."""
    eye, look = np.array([0.85, -0.85, 0.8]) * size, np.array([0.0, 0.0, 0.35]) * size
    ahead = (look - eye) / np.linalg.norm(look - eye)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    away = point - eye
    focus = height / 2 / np.tan(np.radians(75.0) / 2)
    return focus * np.array([right @ away, -np.cross(right, ahead) @ away]) / (ahead @ away)


def test_the_page_shows_robot_joints_and_states(stage):
    driver, _, _ = stage
    wait(driver, lambda d: d.find_element(By.TAG_NAME, "canvas").size["width"] > 100, "the scene")
    wait(driver, lambda d: all(f"{name}: " in text(d) for name in NODES), "a line of every node")
    wait(driver, lambda d: all(f"joint_{k}" in text(d) for k in range(1, 7)), "a bar for every joint")
    wait(driver, lambda d: len(d.find_elements(By.CSS_SELECTOR, "svg.torques rect")) >= 24, "torques")


def test_plots_draw_torques_and_tracking_errors(stage):
    driver, _, _ = stage
    for k, what in enumerate(("torques", "tracking errors")):
        wait(driver, lambda d, k=k: d.execute_script(COLOURED, k) > 100, f"curves of {what}")


def test_a_dragged_target_is_solved(stage):
    driver, _, _ = stage
    canvas = max(driver.find_elements(By.TAG_NAME, "canvas"), key=lambda c: c.size["width"] * c.size["height"])
    if not field(driver, "tool target").is_selected():
        bare = vivid(canvas)
        driver.execute_script("arguments[0].click()", field(driver, "tool target"))
        wait(driver, lambda d: vivid(canvas) > 100 + bare, "handles to drag")
    before = wait(driver, lambda d: (p := position(d))[2] > 0.1 and p, "the target at the tool")
    robot = rdyn.load(ROBOT)
    R, size = robot.fk(START)[:3, :3], reach(robot.model)      # brakes hold the arm until it is enabled
    bare = orange(canvas)
    for slowly, axis in product((1, 2, 4), (2, 0, 1)):
        arrow = [np.array(before) + R[:, axis] * x * size for x in (0.17, 0.25)]
        drag(driver, canvas, *(on_screen(point, size, canvas.size["height"]) for point in arrow), slowly)
        with suppress(TimeoutException):
            wait(driver, lambda d: position(d) != before, "the target to move", MISSED)
            break
    wait(driver, lambda d: position(d) != before, "the target to move")
    wait(driver, lambda d: re.search(r"[1-8] solution", text(d)), "solutions")
    wait(driver, lambda d: orange(canvas) > 50 + bare, "ghosts")


def pixels(canvas):
    """Red, green and blue (height, width) of a canvas as it is shown, up to 1."""
    return np.moveaxis(imread(io.BytesIO(canvas.screenshot_as_png))[..., :3], -1, 0)


def orange(canvas):
    """Number of pixels in the colour of ghosts: red over green over blue; handles and grid are none such."""
    r, g, b = pixels(canvas)
    return np.count_nonzero((r > g + 0.05) & (g > b + 0.05))


def vivid(canvas):
    """Number of pixels in strong colours, as handles have them."""
    return np.count_nonzero(np.ptp(pixels(canvas), axis=0) > 0.6)


def drag(driver, canvas, start, end, slowly):
    """Presses at a pixel from the middle of the canvas and moves to another in small steps, each drawn if slowly."""
    chain = ActionChains(driver, duration=50).move_to_element_with_offset(canvas, *map(int, start))
    chain.pause(0.3 * slowly).click_and_hold().pause(0.6 * slowly)
    for step in np.diff(np.linspace(start, end, 5).astype(int), axis=0):
        chain.move_by_offset(*map(int, step)).pause(0.3 * slowly)
    chain.release().pause(1.0).perform()


def test_a_typed_target_is_solved_or_told_out_of_reach(stage):
    driver, _, _ = stage
    for height, answer in ((9.0, "out of reach"), (0.6, r"[1-8] solutions")):
        entry = field(driver, "position [m]", 2)
        entry.send_keys(Keys.CONTROL, "a")
        entry.send_keys(f"{height}", Keys.ENTER)
        wait(driver, lambda d, a=answer: re.search(a, text(d)), f"{answer} for a tool at {height} m")


def test_a_slider_moves_the_arm(stage):
    driver, listener, _ = stage
    states = listener.listen(JointState, "joint_states")
    wait(driver, lambda d: d.find_element(By.CSS_SELECTOR, "[role=slider]").is_displayed(), "sliders")
    thumb = driver.find_element(By.CSS_SELECTOR, "[role=slider]")

    def follows(_):
        if not (states and states[-1].position[0] > 0.02):
            thumb.send_keys(8 * Keys.ARROW_RIGHT)       # a wish lives for 3 s only, a busy machine may take longer
            return False
        return True

    wait(driver, follows, "joint_1 to follow")


def test_a_killed_simulator_turns_the_state_red(stage):
    driver, _, nodes = stage
    nodes["simulator"].process.kill()
    wait(driver, lambda d: RED in d.find_element(By.CSS_SELECTOR, "b.state").value_of_css_property("color"), "red")
    wait(driver, lambda d: "simulator: silent" in text(d), "the name of the one that died")
