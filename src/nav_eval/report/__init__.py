"""What a run came to, for people: the HTML report, maps, videos, the live view and tables for papers.

`report` reads run directories and never writes into their journals. Whatever needs concrete classes (the data set,
the simulator, the paired tests) comes in as a `ReportContext`, which the composition root fills.
"""
