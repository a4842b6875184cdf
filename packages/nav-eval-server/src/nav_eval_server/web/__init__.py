"""What people see: pages rendered here, in English and Chinese, without a script of anybody else's.

A view asks who it is for, calls the Dispatcher or a function of roster.py, and renders a template.
"""
