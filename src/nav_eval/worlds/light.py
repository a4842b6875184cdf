from __future__ import annotations
import numpy as np
def bake(plan, items, mesh):
    n = mesh.normals
    l = np.clip(0.75 + 0.2*n[:,1] + 0.08*n[:,0], 0.3, 1)
    return np.dstack([l*255]*3+[np.full_like(l,255)])[0].astype(np.uint8)
