import greenrun

app = greenrun.load("examples/meeting-notes")

report = app.check()  # milliseconds; runs nothing
print(report.verdict.status, report.verdict.proof)

report = app.simulate()  # plays script.json with real runs
print(report.verdict.status, report.verdict.proof, report.verdict.exercised)
for finding in report.findings:
    print(finding.code, finding.message)
