"""Paths put into words, in English and Chinese: what a walker sees, what is worth telling, how it is said."""
