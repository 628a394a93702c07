/**
 * security: signatures, tokens and tickets. Refuses to know: routes, sessions, what is signed. No secret leaves it in
 * an error or a log.
 */
export { Scrubber, scrubbingLogger } from "./scrubber.ts";
export { openSigner, signProvenance, type Signer } from "./signer.ts";
export { openTokens, Tokens, type FrameTarget } from "./tokens.ts";
