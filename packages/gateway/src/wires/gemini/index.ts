import type { Wire } from "../wire.ts";
import { GeminiDecoder } from "./decode.ts";
import { geminiRequest } from "./request.ts";

/** Google Gemini, `v1beta` generateContent streams. */
export const geminiWire: Wire = {
  request: geminiRequest,
  headers: (key): Record<string, string> => (key === undefined ? {} : { "x-goog-api-key": key }),
  decoder: (batch, newCallId) => new GeminiDecoder(batch, newCallId),
};
