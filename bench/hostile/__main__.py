"""How the server fares with sources that lie and die, and with clients that attack, beside honest ones."""

import argparse

from bench.hostile import clients, kills, sources

TABLES = {"sources": sources, "kills": kills, "clients": clients}


def main():
    parser = argparse.ArgumentParser(prog="hostile", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    tables = parser.add_subparsers(dest="table", required=True)
    for name, table in TABLES.items():
        table.add_options(tables.add_parser(name, description=table.__doc__, help=table.__doc__.split("\n\n", 1)[0],
                                            formatter_class=argparse.RawDescriptionHelpFormatter))
    options = parser.parse_args()
    TABLES[options.table].run(options)


main()
