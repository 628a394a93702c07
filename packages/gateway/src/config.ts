import type { Env } from "./http/route.ts";
import type { StreamLimits } from "./http/exchange.ts";

/** One provider: a wire, an address, a key's name. The model id `name/model` is sent to it as `model`. */
export interface ProviderConfig {
  /** The part before "/". */
  readonly name: string;
  readonly wire: "gemini" | "chat";
  /** Up to and including the version, e.g. `https://api.openai.com/v1`. */
  readonly baseURL: string;
  /** Environment variables that may hold the key, first one set wins. None: the server wants no key. */
  readonly keyEnv?: string | readonly string[];
  /** A simulator: its costs are marked. */
  readonly simulated?: boolean;
  /** List price of this model is used for all of this provider's. */
  readonly pricedAs?: string;
  /** Streams at once; undefined: no limit of ours. */
  readonly concurrency?: number;
  /** Shown by `models()`; any other name is sent too. */
  readonly models?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly limits?: Partial<StreamLimits>;
}

/** Providers that need no configuration but a key. Addresses follow the official libraries' environment variables. */
export function builtInProviders(env: Env): ProviderConfig[] {
  return [
    {
      name: "google",
      wire: "gemini",
      baseURL: `${trimmed(env["GOOGLE_GEMINI_BASE_URL"]) ?? "https://generativelanguage.googleapis.com"}/v1beta`,
      keyEnv: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
      models: ["gemini-3.6-flash", "gemini-3-pro-preview", "gemini-2.5-flash"],
    },
    {
      name: "openai",
      wire: "chat",
      baseURL: trimmed(env["OPENAI_BASE_URL"]) ?? "https://api.openai.com/v1",
      keyEnv: "OPENAI_API_KEY",
      models: ["gpt-5.1", "gpt-5-mini"],
    },
    { name: "openrouter", wire: "chat", baseURL: "https://openrouter.ai/api/v1", keyEnv: "OPENROUTER_API_KEY" },
    { name: "groq", wire: "chat", baseURL: "https://api.groq.com/openai/v1", keyEnv: "GROQ_API_KEY" },
    {
      name: "deepseek",
      wire: "chat",
      baseURL: "https://api.deepseek.com/v1",
      keyEnv: "DEEPSEEK_API_KEY",
      models: ["deepseek-chat", "deepseek-reasoner"],
    },
    { name: "mistral", wire: "chat", baseURL: "https://api.mistral.ai/v1", keyEnv: "MISTRAL_API_KEY" },
    { name: "fireworks", wire: "chat", baseURL: "https://api.fireworks.ai/inference/v1", keyEnv: "FIREWORKS_API_KEY" },
    { name: "together", wire: "chat", baseURL: "https://api.together.xyz/v1", keyEnv: "TOGETHER_API_KEY" },
    { name: "ollama", wire: "chat", baseURL: `${ollamaHost(env["OLLAMA_HOST"])}/v1` },
    { name: "lmstudio", wire: "chat", baseURL: "http://127.0.0.1:1234/v1" },
  ];
}

function trimmed(value: string | undefined): string | undefined {
  return value === undefined || value === "" ? undefined : value.replace(/\/+$/, "");
}

/** Ollama's own variable: an address, or host and port without a scheme. */
function ollamaHost(value: string | undefined): string {
  const host = trimmed(value) ?? "127.0.0.1:11434";
  return /^https?:\/\//.test(host) ? host : `http://${host.replace(/^0\.0\.0\.0/, "127.0.0.1")}`;
}
