"""Checks a dashboard against the schema that Grafana publishes as types of TypeScript."""

import json
import os
import subprocess

RAW = "@grafana/schema/dist/esm/raw"
PANELS = {"timeseries": "TimeSeries", "stat": "Stat", "state-timeline": "StateTimeline", "table": "Table"}
# Strings stand for the members of enumerations in JSON, and Grafana adds what is not there.
JSON_TYPE = """
type Json<T> = T extends string ? `${T}`
  : T extends (infer U)[] ? Json<U>[]
  : T extends object ? { [K in keyof T]?: Json<T[K]> }
  : T;
"""
# Of an annotation, the data source adds these.
OF_PROMETHEUS = {"expr", "step", "tagKeys", "textFormat", "titleFormat", "useValueForTime"}
COMPILER = ["--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "esnext",
            "--moduleResolution", "bundler"]


def constants(dashboard):
    """(type, value) of each part with a type of its own."""
    for annotation in dashboard["annotations"]["list"]:
        for key in OF_PROMETHEUS & annotation.keys():
            del annotation[key]
    panels = dashboard.pop("panels")
    yield "Dashboard", dashboard
    for panel in panels:
        if panel["type"] == "row":
            yield "RowPanel", panel
            continue
        module = PANELS[panel["type"]]
        yield "Panel", panel
        yield f"{module}.Options", panel.get("options", {})
        custom = panel["fieldConfig"]["defaults"].get("custom")
        if custom is not None:
            yield f"{module}.FieldConfig", custom


def complaints(path, modules, folder):
    """The compiler's, which is TypeScript's in `modules`, about the dashboard in the file `path`."""
    lines = [f'import type {{Dashboard, Panel, RowPanel}} from "{RAW}/dashboard/x/Dashboard_types.gen";']
    lines += [f'import type * as {module} from '
              f'"{RAW}/composable/{module.lower()}/panelcfg/x/{module}PanelCfg_types.gen";'
              for module in PANELS.values()]
    lines.append(JSON_TYPE)
    lines += [f"export const c{number}: Json<{kind}> = {json.dumps(value, indent=1)};"
              for number, (kind, value) in enumerate(constants(json.loads(path.read_text())))]
    source = folder / "dashboard.ts"
    source.write_text("\n".join(lines))
    os.symlink(modules / "node_modules", folder / "node_modules")
    done = subprocess.run([modules / "node_modules/.bin/tsc", *COMPILER, source],
                          capture_output=True, text=True, cwd=folder, check=False)
    return done.stdout + done.stderr
