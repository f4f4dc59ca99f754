"""The pages of the live service: templates that show, and modules in the browser that talk to the API.

Nothing here decides about a task or a label: a page uses the same routes of the API as everybody else.
"""
