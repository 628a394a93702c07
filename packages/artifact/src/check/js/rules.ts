import type { StaticCheck } from "../findings.ts";

export interface Rule {
  readonly check: StaticCheck;
  readonly what: string;
  readonly fix: string;
}

function rules(check: StaticCheck, what: string, fix: string, names: readonly string[]): [string, Rule][] {
  return names.map((name) => [name, { check, what, fix }]);
}

const NO_NETWORK = "Remove it: the card has no network. Draw from synthetic data, take readings from swarm.data/v1 messages.";
const NO_STORAGE = "Remove it: the card keeps its state in variables.";
const NO_POPUP = "Remove it: show the text inside the card.";
const NO_MEDIA = "Remove it: the card is a picture only.";
const NO_LEAVE = "Remove it: the card stays where it is.";
const NO_STRING_CODE = "Write the code itself in the script: code made from strings is refused.";

/** Names of the global object that a card may not touch, not even to hold them. */
export const FORBIDDEN_GLOBALS: ReadonlyMap<string, Rule> = new Map([
  ...rules("external_reference", "network", NO_NETWORK, ["fetch", "XMLHttpRequest", "WebSocket", "WebSocketStream", "WebTransport", "EventSource", "RTCPeerConnection", "webkitRTCPeerConnection", "importScripts"]),
  ...rules("forbidden_api", "worker", "Remove it: do the work in the frame callback.", ["Worker", "SharedWorker"]),
  ...rules("forbidden_api", "storage", NO_STORAGE, ["localStorage", "sessionStorage", "indexedDB", "caches", "cookieStore", "BroadcastChannel"]),
  ...rules("forbidden_api", "media", NO_MEDIA, ["Audio", "AudioContext", "webkitAudioContext", "Notification"]),
  ...rules("forbidden_api", "code from a string", NO_STRING_CODE, ["eval", "Function"]),
]);

/** The same, but only when called: their names are common words. */
export const FORBIDDEN_CALLS: ReadonlyMap<string, Rule> = new Map([
  ...rules("forbidden_api", "popup", NO_POPUP, ["open", "alert", "confirm", "prompt", "print", "showModalDialog"]),
]);

export const FORBIDDEN_NAVIGATOR: ReadonlyMap<string, Rule> = new Map([
  ...rules("external_reference", "network", NO_NETWORK, ["sendBeacon"]),
  ...rules("forbidden_api", "worker", "Remove it: a card has no service worker.", ["serviceWorker"]),
  ...rules("forbidden_api", "storage", NO_STORAGE, ["storage", "credentials", "clipboard"]),
  ...rules("forbidden_api", "media", NO_MEDIA, ["mediaDevices", "getUserMedia", "geolocation", "bluetooth", "usb", "serial", "hid"]),
]);

export const FORBIDDEN_DOCUMENT: ReadonlyMap<string, Rule> = new Map([
  ...rules("forbidden_api", "storage", NO_STORAGE, ["cookie"]),
  ...rules("forbidden_api", "rewriting the document", "Write the markup in the document itself, or set textContent.", ["write", "writeln"]),
]);

export const LEAVING: Rule = { check: "forbidden_api", what: "navigation", fix: NO_LEAVE };
export const LOCATION_METHODS = new Set(["assign", "replace", "reload"]);

/** Elements that a card may neither contain nor make. */
export const FORBIDDEN_ELEMENTS = new Set(["iframe", "frame", "frameset", "object", "embed", "applet", "portal", "fencedframe", "audio", "video", "source", "track"]);
/** Elements that a script may not make: what they load cannot be checked. */
export const FORBIDDEN_TO_MAKE = new Set([...FORBIDDEN_ELEMENTS, "script", "link", "base"]);

/** Properties and attributes that load what they name. */
export const URL_PROPERTIES = new Set(["src", "href", "srcset", "poster", "data", "action", "formaction", "ping", "background", "xlink:href", "imagesrcset"]);
export const MARKUP_PROPERTIES = new Set(["innerHTML", "outerHTML", "srcdoc"]);
export const MARKUP_METHODS: ReadonlyMap<string, number> = new Map([["insertAdjacentHTML", 1], ["createContextualFragment", 0], ["setHTMLUnsafe", 0], ["parseFromString", 0]]);
export const SHEET_METHODS = new Set(["insertRule", "replaceSync", "replace", "addRule"]);
