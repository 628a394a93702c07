import type { Wire } from "../wire.ts";
import { ChatDecoder } from "./decode.ts";
import { chatRequest } from "./request.ts";

/** OpenAI-compatible chat completions. */
export const chatWire: Wire = {
  request: chatRequest,
  headers: (key): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
  decoder: (batch, newCallId) => new ChatDecoder(batch, newCallId),
};
