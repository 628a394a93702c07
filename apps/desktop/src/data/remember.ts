/** Small choices kept per device (theme, view, widths). Losing them loses nothing. */
export function recall(key: string): string | undefined {
  try {
    return localStorage.getItem(`swarm-${key}`) ?? undefined;
  } catch {
    return undefined;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`swarm-${key}`, value);
  } catch {
    return; // storage is blocked: the choice lasts as long as the page
  }
}
