import { unreachable } from "@swarm/std";
import { createSignal } from "solid-js";
import { isFilter } from "../model/lists.ts";
import type { FilterName } from "../model/state.ts";

/** Pages by hash: a link works in any tab and the file server needs to know none of them. */
export type Route =
  | { readonly page: "swarm"; readonly filter: FilterName; readonly group?: string }
  | { readonly page: "session"; readonly id: string }
  | { readonly page: "inbox" }
  | { readonly page: "artifacts"; readonly id?: string };

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#/, "").split("?");
  const [, page = "", rest] = path.split("/");
  const id = rest === undefined || rest === "" ? undefined : decodeURIComponent(rest);
  if (page === "session" && id !== undefined) return { page: "session", id };
  if (page === "inbox") return { page: "inbox" };
  if (page === "artifacts") return id === undefined ? { page: "artifacts" } : { page: "artifacts", id };
  const params = new URLSearchParams(query);
  const show = params.get("show") ?? "all";
  const group = params.get("group");
  return { page: "swarm", filter: isFilter(show) ? show : "all", ...(group === null ? {} : { group }) };
}

export function hrefOf(route: Route): string {
  switch (route.page) {
    case "session":
      return `#/session/${encodeURIComponent(route.id)}`;
    case "inbox":
      return "#/inbox";
    case "artifacts":
      return route.id === undefined ? "#/artifacts" : `#/artifacts/${encodeURIComponent(route.id)}`;
    case "swarm": {
      const params = new URLSearchParams();
      if (route.filter !== "all") params.set("show", route.filter);
      if (route.group !== undefined) params.set("group", route.group);
      const query = params.toString();
      return query === "" ? "#/" : `#/?${query}`;
    }
    default:
      return unreachable(route);
  }
}

const [route, setRoute] = createSignal<Route>(parseRoute(location.hash));
addEventListener("hashchange", () => setRoute(parseRoute(location.hash)));

export { route };

export function go(to: Route): void {
  location.hash = hrefOf(to);
}
