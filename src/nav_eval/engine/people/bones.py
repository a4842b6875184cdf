"""The bones of a body by number, and how high its joints are, metres.

Proportions are those of a body of 1.75 m (Winter, Biomechanics and Motor Control of Human Movement, 2009, figure 4.1).
"""

PELVIS, CHEST, HEAD, ARM_L, FORE_L, ARM_R, FORE_R, THIGH_L, SHIN_L, FOOT_L, THIGH_R, SHIN_R, FOOT_R = range(13)
BONES = 13
TALL = 1.75
HIP, KNEE, ANKLE, WAIST, SHOULDER, ELBOW, WRIST, NECK = 0.91, 0.50, 0.085, 1.06, 1.425, 1.125, 0.875, 1.50
CHIN = 1.535
