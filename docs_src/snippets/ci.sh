set -e
greenrun check counter
greenrun debug counter --deadline 60000 --timeout 10000 --out reports/counter
