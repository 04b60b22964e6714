"""Further contenders, as {function: call}; each gives {} when its package is not installed."""
import re

from .robots import urdf


def mujoco_calls(name, q, v, a):
    """MuJoCo on the same URDF without shapes; a state is written into its data first, as a user would."""
    try:
        import mujoco
    except ImportError:
        return {}
    text = re.sub(r"<(visual|collision)\b.*?</\1>", "", urdf(name), flags=re.DOTALL)
    compiler = '<mujoco><compiler balanceinertia="true" boundinertia="1e-6" boundmass="1e-6"/></mujoco>'
    model = mujoco.MjModel.from_xml_string(text.replace("</robot>", f"{compiler}</robot>"))
    data = mujoco.MjData(model)

    def inverse():
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
        mujoco.mj_inverse(model, data)

    def forward():
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, a
        mujoco.mj_forward(model, data)

    def kinematics():
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)

    def mass():
        kinematics()
        mujoco.mj_comPos(model, data)
        mujoco.mj_crb(model, data)

    return {"inverse_dynamics": inverse, "forward_dynamics": forward, "fk": kinematics, "mass_matrix": mass}


def toolbox_calls(name, q, v, a):
    """Robotics Toolbox for Python on its own models: kinematics by its C++ transforms, dynamics of the Panda."""
    try:
        import roboticstoolbox as rtb
    except ImportError:
        return {}
    if name == "Talos":
        return {}
    arm = {"Panda": rtb.models.DH.Panda, "UR5": rtb.models.DH.UR5}[name]()
    ets = arm.ets()
    calls = {"fk": lambda: ets.eval(q), "jacobian": lambda: ets.jacob0(q)}
    if name == "Panda":
        calls |= {"inverse_dynamics": lambda: arm.rne(q, v, a), "gravity_torque": lambda: arm.gravload(q),
                  "mass_matrix": lambda: arm.inertia(q), "forward_dynamics": lambda: arm.accel(q, v, a)}
    return calls


PEERS = {"MuJoCo": mujoco_calls, "Robotics Toolbox": toolbox_calls}
