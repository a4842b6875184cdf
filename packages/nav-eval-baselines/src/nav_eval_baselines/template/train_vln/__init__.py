"""Trains nav_eval_baselines.learned from nothing: `python -m train_vln`."""
