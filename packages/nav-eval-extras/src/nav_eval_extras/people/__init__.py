"""How people move in a building: by the social force model, or as others once did."""
