"""How surfaces look and how they are described: styles, materials, textures, pictures, parametric patches."""
