"""Load a robot, look at a limit, and ask where a foot is."""

from andante.kinematics.forward import Kinematics
from andante.robots.robot import Robot

robot = Robot.load("nao")
knee = robot.joints[robot.index("LKneePitch")]
print(f"{robot.title}: {knee.name} {knee.lower:.3f} to {knee.upper:.3f} rad, {knee.max_velocity:.2f} rad/s")

kinematics = Kinematics(robot)
kinematics.update(robot.posture("stand"))
position, rotation = kinematics.pose("left_sole")
print("left sole in the torso frame [m]:", position.round(4))
print("centre of mass in the torso frame [m]:", kinematics.com().round(4))
