import type { EffectClass } from "./tool-runner.ts";

export type Decision =
  | { readonly allow: true; readonly rule: string }
  | { readonly allow: false; readonly rule: string; readonly reason: string };

export interface PermissionGate {
  decide(call: {
    readonly session: string;
    readonly tool: string;
    readonly effect: EffectClass;
    readonly args: unknown;
  }): Promise<Decision>;
}
