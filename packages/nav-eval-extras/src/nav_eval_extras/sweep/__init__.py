"""`nav-eval sweep`: one benchmark under one perturbation after the other, and what each costs."""
