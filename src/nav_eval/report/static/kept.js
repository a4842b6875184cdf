// What the reader chose of a few values, kept in the address (?lang=zh&theme=dark): a reload keeps it, a link carries it.

const VALUES = { lang: ["en", "zh"], theme: ["light", "dark"] };

export function kept(name) {
  const value = new URLSearchParams(location.search).get(name);
  return VALUES[name].includes(value) ? value : null;
}

// A page inside another one may have no address of its own: then the choice lasts as long as the page.
export function keep(name, value) {
  try {
    const address = new URL(location.href);
    address.searchParams.set(name, value);
    history.replaceState(null, "", address);
  } catch {
    return;
  }
}
