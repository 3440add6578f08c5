// Ranking of search results: entries of the API and the reference first, then tutorials, and the
// pages about the development of the program last. A title that has words of the query counts more
// than a page that has them anywhere, as the lists of all commands and keys do.
var Scorer = {
  score: ([docname, title, anchor, descr, score]) => {
    const query = (new URLSearchParams(window.location.search).get("q") || "").toLowerCase().trim();
    const words = query.split(/\W+/).filter((word) => word.length > 2);
    const name = title.toLowerCase();
    // Entries of the API have a description, and many words in their names.
    const named = descr ? 0 : words.filter((word) => name.includes(word)).length;
    const bonus = [
      [/^(reference\/(?!commands|shortcuts)|python\/)/, 6],
      [/^tutorials\//, 5],
      [/^(changelog|bibliography|releasing|benchmarks|explanation\/|decisions\/|studies\/)/, -15],
    ];
    const own = bonus.reduce((sum, [pages, points]) => sum + (pages.test(docname) ? points : 0), 0);
    return score + own + 5 * named + (name === query ? 10 : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 9, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
