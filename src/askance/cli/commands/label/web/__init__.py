"""`askance label FILE --web`: a page on this machine that asks about the rows of a file.

It needs the standard library only. The look is that of the pages of the service.
"""
