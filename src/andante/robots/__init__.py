"""Robots as data: joints, limits, servos, sensors and feet; the records that every tick exchanges; shipped robots."""

from andante.robots.graphics import prepare

prepare()  # before any module imports MuJoCo
