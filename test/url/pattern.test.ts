test('a regular expression is not run on a URL that is longer than any URL may be', () => {
  const matches = compilePattern('/x/', 20);
  assert.equal(matches('http://a.example/x'), true);
  assert.equal(matches('http://a.example/xxxxxxxxxx'), false);
});
