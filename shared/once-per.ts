/** Lets `make` be called once for each subject, whose answer is kept as long as the subject is. */
export function oncePer<Subject extends object, Made>(make: (subject: Subject) => Made): (subject: Subject) => Made {
  const made = new WeakMap<Subject, { made: Made }>();
  return (subject) => {
    const known = made.get(subject) ?? { made: make(subject) };
    made.set(subject, known);
    return known.made;
  };
}
