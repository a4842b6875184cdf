"""From placed items to triangles and files: tessellation, welding, lightmap charts, voxels, GLB, semantics."""
