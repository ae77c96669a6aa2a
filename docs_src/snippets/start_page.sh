cp -r examples/meeting-notes my-notes

sed -i.bak 's|op:write/out:decisions|op:write/out:decision|' my-notes/app.json  # a slip that is easily made

greenrun check my-notes

greenrun fix my-notes --write

greenrun debug my-notes
