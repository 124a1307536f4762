/** Says whether `Accept-Encoding` allows gzip: by name, or as one of all, and not with `q=0`. */
export function acceptsGzip(header = ''): boolean {
  const accepted = new Map(
    header.split(',').map((part) => {
      const [coding = '', ...parameters] = part.toLowerCase().split(';');
      return [coding.trim(), !parameters.some((each) => /^\s*q\s*=\s*0(\.0*)?\s*$/.test(each))];
    }),
  );
  return accepted.get('gzip') ?? accepted.get('x-gzip') ?? accepted.get('*') ?? false;
}
