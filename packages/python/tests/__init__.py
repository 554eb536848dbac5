"""Tests of the package against a real server: LOCKKEEPER_URL, and LOCKKEEPER_API_KEY with all verbs."""
