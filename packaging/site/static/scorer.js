// Ranking of search results: entries of the API and the reference first, then tutorials, and the
// pages about the development of the program last.
var Scorer = {
  score: ([docname, title, anchor, descr, score]) => {
    const bonus = [
      [/^(reference|python)\//, 6],
      [/^tutorials\//, 5],
      [/^(changelog|bibliography|releasing|benchmarks|explanation\/|decisions\/|studies\/)/, -15],
    ];
    return bonus.reduce((sum, [pages, points]) => sum + (pages.test(docname) ? points : 0), score);
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
