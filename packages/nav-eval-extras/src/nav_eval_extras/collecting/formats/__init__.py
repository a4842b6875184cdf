"""The formats, one a module; entry points nav_eval.training_data name them."""
