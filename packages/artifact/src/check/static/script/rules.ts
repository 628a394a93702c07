/** What a script of a card may not touch. A name is a path from the page's global object. */
function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

export const NETWORK = words(
  "fetch fetchLater XMLHttpRequest WebSocket WebSocketStream EventSource WebTransport Worker SharedWorker importScripts RTCPeerConnection webkitRTCPeerConnection open navigator.sendBeacon navigator.serviceWorker",
);
export const STORAGE_AND_MEDIA = words(
  "localStorage sessionStorage indexedDB caches cookieStore document.cookie navigator.storage navigator.mediaDevices Audio AudioContext webkitAudioContext speechSynthesis navigator.geolocation Notification BroadcastChannel",
);
/** Common words: only their call is one of these. */
export const DIALOGS = words("alert confirm prompt print showModalDialog");
export const TIMERS = words("setTimeout setInterval");

export const ADDRESS_MEMBERS = words("src href srcset poster background action formAction formaction ping xlink:href");
export const MARKUP_MEMBERS = words("innerHTML outerHTML srcdoc");
export const MARKUP_CALLS = words(
  "write writeln insertAdjacentHTML setHTMLUnsafe createContextualFragment parseFromString",
);
export const STYLE_CALLS = words("setProperty insertRule replaceSync replace setAttribute setAttributeNS");
/** Elements that bring in another document or file, however they are made. */
export const EMBEDDERS = words("iframe frame object embed portal fencedframe");
export const MEDIA = words("audio video track");
/** Elements that only the document itself may hold: what a script puts into them cannot be read here. */
export const LOADERS = words("script link base");
