/** Where a record keeps a long text: in place up to `INLINE_TEXT_MAX_BYTES`, else by hash in the blob store. */
export interface BlobRef {
  /** SHA-256 of the raw bytes, lower-case hex. */
  readonly blob: string;
  /** Raw length in bytes. */
  readonly bytes: number;
}
export type StoredText = string | BlobRef;
export const INLINE_TEXT_MAX_BYTES = 4096;

export function isBlobRef(value: unknown): value is BlobRef {
  return typeof value === "object" && value !== null && typeof (value as { blob?: unknown }).blob === "string";
}
