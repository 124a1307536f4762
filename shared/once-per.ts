/** Returns a function that calls `make` once per subject and keeps the result for as long as the subject exists. */
export function oncePer<Subject extends object, Made>(make: (subject: Subject) => Made): (subject: Subject) => Made {
  const made = new WeakMap<Subject, { made: Made }>();
  return (subject) => {
    const known = made.get(subject) ?? { made: make(subject) };
    made.set(subject, known);
    return known.made;
  };
}
