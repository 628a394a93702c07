/**
 * The gate's pure half: the static stage and the report. Loaded by the checker process only, because it brings
 * parsers. Refuses to know: browsers, processes, where an artifact is kept.
 */
export { assembleReport } from "./static/report.ts";
export { checkStatic } from "./static/check-static.ts";
export { parseDocument, attribute, type HtmlDocument } from "./static/document.ts";
export { checkManifest, isRegion, type Manifest } from "./static/structure.ts";
