"""One form app, as Greenrun, Streamlit and NiceGUI have it, driven without a browser."""
