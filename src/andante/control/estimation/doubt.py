"""What an estimator may doubt, as numbers for kernels; `andante.control.estimation.floating_base.Doubt` names them."""

GYRO = 1
ACCELEROMETER = 2
ORIENTATION = 4
ENCODER = 8
SWITCH_CLOSED = 16
SWITCH_OPEN = 32
SLIP = 64
NO_STANCE = 128
CONTRADICTION = 256
CAPTURE = 512
RESTARTED = 1024
